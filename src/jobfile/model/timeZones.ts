let names: readonly string[] | undefined;

/** Every time zone id of this platform, `UTC` first. */
export function timeZoneNames(): readonly string[] {
  names ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];
  return names;
}
