import {
  localProfile,
  type Connection,
  type ConnectionService,
  type Profile,
} from '../../../src/connection/connection.ts';
import { Emitter } from '../../../src/shared/event.ts';

export const staging: Profile = {
  ...localProfile,
  id: 'staging',
  name: 'Staging',
  kind: 'remote',
  baseUrl: 'https://staging.example.com',
};

/** Profiles and a client of the test's own. */
export class FakeConnections implements ConnectionService {
  current: Profile = localProfile;
  profiles: readonly Profile[] = [localProfile, staging];
  client: object;
  /** The local service was used before, so that looking may ask it. */
  isUsed = true;
  /** How connections were asked for, with the signals that were handed on. */
  readonly calls: { how: string; signal?: AbortSignal; byUser?: boolean }[] = [];
  readonly #changed = new Emitter<Profile>();
  readonly onDidChange = this.#changed.event;

  constructor(client: object = {}) {
    this.client = client;
  }

  get isHeard(): boolean {
    return this.#changed.hasListeners;
  }

  change(profile: Profile): void {
    this.current = profile;
    this.#changed.fire(profile);
  }

  get isKnownEmpty(): boolean {
    return this.current.kind === 'local' && !this.isUsed;
  }

  async connect(options: { signal?: AbortSignal } = {}): Promise<Connection> {
    this.#called({ how: 'connect', ...options });
    return { profile: this.current, client: this.client as Connection['client'] };
  }

  async connectIfUsed(options: { signal?: AbortSignal; byUser?: boolean } = {}): Promise<Connection | undefined> {
    this.#called({ how: 'look', ...options });
    return this.isUsed ? { profile: this.current, client: this.client as Connection['client'] } : undefined;
  }

  async connectTo(profileId: string, options: { signal?: AbortSignal } = {}): Promise<Connection | undefined> {
    this.#called({ how: `to ${profileId}`, ...options });
    const profile = this.profiles.find(({ id }) => id === profileId);
    return profile && { profile, client: this.client as Connection['client'] };
  }

  #called(call: FakeConnections['calls'][number]): void {
    this.calls.push(call);
  }

  async confirmMutation(): Promise<boolean> {
    return true;
  }
}
