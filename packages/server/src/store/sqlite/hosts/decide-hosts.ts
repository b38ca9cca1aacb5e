/** What a process that has the store open writes down all the time, as another one finds it. */
export interface HostEntry {
  readonly name: string
  /** Of the machine, or of its last start. */
  readonly host: string
  readonly hostname: string
  /** Counts up while the process lives. */
  readonly beat: number
  /** How much older than our own entry, by the clock of the file system. */
  readonly ageMs: number
}

/** An entry is written this often; one that has not changed for three times as long is of a process that is gone. */
export const beatsUntilGone = 3

/** Entries that nobody will ever write again. */
const forgottenMs = 3_600_000

export interface HostsView {
  /** Of other hosts, and recent enough that the process may live. */
  readonly suspects: readonly HostEntry[]
  readonly forgotten: readonly HostEntry[]
}

/**
 * Processes of one host share memory, which SQLite's write-ahead log needs; a container that is started again under another
 * name is still on that host. Other hosts do not, and two of them damage the file.
 */
export function decideHosts(own: string, entries: readonly HostEntry[], beatMs: number): HostsView {
  return {
    suspects: entries.filter(({ host, ageMs }) => host !== own && ageMs < beatsUntilGone * beatMs),
    forgotten: entries.filter(({ ageMs }) => ageMs > forgottenMs),
  }
}

/** Those of the first look that have been written since. */
export function decideAlive(first: readonly HostEntry[], later: readonly HostEntry[]): HostEntry[] {
  return later.filter(({ name, beat }) =>
    first.some((before) => before.name === name && before.beat !== beat),
  )
}
