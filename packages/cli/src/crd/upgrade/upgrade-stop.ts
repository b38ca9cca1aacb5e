import type { ExitWord } from '../../output/exit-codes.ts'
import type { UpgradeResult } from './upgrade-report.ts'

/** The upgrade cannot go on; the message says why. */
export class UpgradeStop extends Error {
  override readonly name = 'UpgradeStop'
  readonly result: UpgradeResult
  readonly exit: ExitWord
  readonly next: string | undefined

  constructor(result: UpgradeResult, exit: ExitWord, because: string, next?: string) {
    super(because)
    this.result = result
    this.exit = exit
    this.next = next
  }
}
