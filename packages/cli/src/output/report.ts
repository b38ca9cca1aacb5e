/** What a command found out, before any form of output. Each command states it once; `print-report.ts` prints every form. */
export interface Report {
  /** The command that reports: `verify`. */
  readonly command: string
  /** For readers, in their order. Sections are a blank line apart. */
  readonly sections: readonly Section[]
  /** For CI: one for each thing that was looked at, also where nothing is wrong. */
  readonly results: readonly Result[]
  /** For programs: `-o json` and `-o yaml`. Its fields are part of the interface, and are only added to. */
  readonly document: object
  /** The table with one or more rows for a whole cluster, if several are shown. Defaults to the first table of the sections. */
  readonly overview?: Table
}

/** A table with lines above and below it. Each part may be absent. */
export interface Section {
  readonly lead?: readonly string[]
  readonly table?: Table
  readonly notes?: readonly string[]
  /** Printed with -v only. */
  readonly isDetail?: boolean
}

export interface Table {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly string[])[]
}

/** The title; or the title of a column that only `-o wide` shows. */
export type Column = string | { readonly wide: string }

/**
 * `passed`: nothing to do. `note` and `warning`: nothing is wrong yet. `unknown`: it could not be seen, which is not `passed`.
 * `failed`: something has to be done.
 */
export type Level = 'passed' | 'note' | 'warning' | 'unknown' | 'failed'

export interface Result {
  readonly level: Level
  /** What was found, as one lasting word for filters: `stale`, `not-seen`. */
  readonly rule: string
  /** What it is about: a resource, a CRD, a server. */
  readonly subject: string
  readonly message: string
  /** What to do about it. */
  readonly fix?: string | undefined
  /** The place in a file of the user, for offline checks. */
  readonly file?: string | undefined
  /** From 1. */
  readonly line?: number | undefined
}

/** Sections of plain text; empty texts are left out. */
export function textSections(...texts: readonly string[]): Section[] {
  return texts.filter((text) => text !== '').map((text) => ({ notes: text.split('\n') }))
}
