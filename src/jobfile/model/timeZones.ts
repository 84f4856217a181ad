import { dateTimeFormat } from '../../shared/dateTimeFormat.ts';

let names: readonly string[] | undefined;

/** Every time zone id of this platform, `UTC` first. */
export function timeZoneNames(): readonly string[] {
  names ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];
  return names;
}

/** The time zone that this machine is set to. */
export function ownTimeZone(): string {
  return dateTimeFormat(undefined, {}).resolvedOptions().timeZone;
}
