/** The entry of a process that has the store open, as another process finds it. */
export interface HostEntry {
  readonly name: string
  /** Identifies the machine, or its last boot. */
  readonly host: string
  readonly hostname: string
  /** Counts up while the process lives. */
  readonly beat: number
  /** How much older than our own entry, by the clock of the file system. */
  readonly ageMs: number
}

/** Every process writes its entry once per beat. If an entry has not changed for this many beats, its process is gone. */
export const beatsUntilGone = 3

/** Entries older than this are abandoned. */
const forgottenMs = 3_600_000

export interface HostsView {
  /** Entries of other hosts, recent enough that the process may be alive. */
  readonly suspects: readonly HostEntry[]
  readonly forgotten: readonly HostEntry[]
}

/**
 * Processes on one host share memory, which SQLite's write-ahead log needs; a container that restarts under another name is still
 * on that host. Processes on different hosts do not, and would damage the file.
 */
export function decideHosts(own: string, entries: readonly HostEntry[], beatMs: number): HostsView {
  return {
    suspects: entries.filter(({ host, ageMs }) => host !== own && ageMs < beatsUntilGone * beatMs),
    forgotten: entries.filter(({ ageMs }) => ageMs > forgottenMs),
  }
}

/** The entries that have been written since the first look. */
export function decideAlive(first: readonly HostEntry[], later: readonly HostEntry[]): HostEntry[] {
  return later.filter(({ name, beat }) =>
    first.some((before) => before.name === name && before.beat !== beat),
  )
}
