import type { ExitWord } from '../../output/exit-codes.ts'
import type { MigrationReport } from '../report/migration-report.ts'
import type { KeyedResource } from './decide-rotation.ts'
import type { LoadedFile, StoredUnder } from './decide-rotation-elsewhere.ts'

/** Where a rotation is. */
export interface RotationReport {
  readonly step: string
  /** The new key. */
  readonly to?: string
  readonly because?: string
  /** What the operator does now. */
  readonly next: readonly string[]
  /** The `resources` of the file that every server should have next. */
  readonly snippet?: readonly string[]
  /** Keys that may leave the files: nothing is stored under them, and no server writes with them. */
  readonly droppable: readonly string[]
  /** How that is known. */
  readonly proof: 'proven' | 'observed clean' | 'unknown'
  /** With any of it, no key is called droppable. */
  readonly unseen: readonly string[]
  readonly exit: ExitWord
  /** On Strata. */
  readonly resources?: readonly KeyedResource[]
  /** On other clusters. */
  readonly loaded?: readonly (LoadedFile & { readonly name?: string | undefined })[]
  readonly stored?: readonly StoredUnder[]
  /** What was rewritten in this run. */
  readonly migrations: readonly MigrationReport[]
}
