import { CliError } from '@strata/cli'
import {
  addFlags,
  type CliContext,
  etcdFlags,
  parseWhole,
  printDocument,
  type StoreFlags,
  storeChoice,
} from '@strata/cli/command-parts-for-test'
import { openHistory } from '@strata/server/history-for-test'
import { pathsBelow } from '@strata/server/main'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { decideExitCode, notSeen } from './decide-exit-code.ts'
import type { HistoryFindings } from './findings.ts'
import { renderFindings } from './render-findings.ts'
import { replayHistory } from './replay-history.ts'

export type AuditContext = Pick<CliContext, 'world' | 'signal' | 'print' | 'progress'>

interface Flags extends Omit<StoreFlags, 'store'> {
  readonly dataDir: string
  readonly sinceRevision?: number | undefined
  readonly limit: number
  readonly encryptionProviderConfig?: string | undefined
  readonly output: 'table' | 'json' | 'yaml'
}

/** The revision of an empty store. */
const emptyStore = 1
/** How often progress is shown. */
const progressMs = 200

/** Audits the store that the arguments name, prints the findings, and resolves to the exit code. */
export async function auditHistory(args: readonly string[], context: AuditContext): Promise<number> {
  let exitCode = 0
  const command = new Command('audit-history')
    .exitOverride()
    .description(
      'Replay the history of a store: was each object written in the version that its server had recorded before?',
    )
    .option('--data-dir <directory>', 'directory of the embedded store', '.strata/data')
  addFlags(command, etcdFlags)
    .option(
      '--since-revision <revision>',
      'check only writes after this revision (default: everything that is not compacted)',
      parseRevision,
    )
    .option(
      '--encryption-provider-config <file>',
      'EncryptionConfiguration with every key that was ever used; the order does not matter',
    )
    .option('--limit <count>', 'how many exceptions to list; all are counted', parseWhole, 100)
    .addOption(
      new Option('-o, --output <form>', 'output format').choices(['table', 'json', 'yaml']).default('table'),
    )
    .addHelpText(
      'after',
      `
It only reads, and servers may run meanwhile. Servers compact history after some minutes: start them with
--etcd-compaction-interval 0 to keep all of it. Start them with --trace-writers to record which server wrote each object.
Without it a write is compared with the entries of all servers, and is ambiguous if those differ.

Exit codes:
  0  every object was written in the version that its server had recorded
  1  there are exceptions
  2  no exceptions were found, but not everything could be checked: history is compacted, a key is missing, or a write is
     ambiguous

Examples:
  $ node test/history-audit/main.ts --data-dir .strata/local
  $ node test/history-audit/main.ts --etcd-servers https://10.0.0.1:2379 --etcd-cafile ca.crt --since-revision 120000
  $ node test/history-audit/main.ts --data-dir /var/lib/strata -o json | jq '.exceptionList[] | .message'`,
    )
    .action(async (flags: Flags) => {
      const found = await replay(flags, context).catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error)
        throw new CliError(message, notSeen, { cause: error })
      })
      context.print(print(found, flags.output))
      exitCode = decideExitCode(found)
    })
  try {
    await command.parseAsync(args, { from: 'user' })
  } catch (error) {
    // Commander has already printed the problem, or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : notSeen
    throw error
  }
  return exitCode
}

async function replay(flags: Flags, context: AuditContext): Promise<HistoryFindings> {
  const choice = storeChoice(flags, pathsBelow(flags.dataDir).storeDir)
  // The flags cannot choose it: a store in memory ends with its server.
  if (choice.kind === 'memory') throw new CliError('a store in memory has no history', notSeen)
  const { sinceRevision = emptyStore, limit, encryptionProviderConfig } = flags
  const store = await openHistory(choice, context.world, context.signal, { encryptionProviderConfig })
  try {
    const options = { sinceRevision, limit, onProgress: progressPrinter(context) }
    return await replayHistory(store, options, context.signal)
  } finally {
    context.progress?.('')
    await store.close()
  }
}

function progressPrinter({ progress, world }: AuditContext): (seen: number, newest: number) => void {
  let shownMs = Number.NEGATIVE_INFINITY
  return (seen, newest) => {
    const nowMs = world.clock.monotonicMs()
    if (!progress || nowMs - shownMs < progressMs) return
    shownMs = nowMs
    progress(`revision ${seen} of ${newest} (${Math.floor((100 * seen) / newest)} %)`)
  }
}

function parseRevision(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('give a revision, a whole number.')
  return Math.max(emptyStore, Number(text))
}

function print(found: HistoryFindings, output: Flags['output']): string {
  return output === 'json' || output === 'yaml' ? printDocument(found, output) : renderFindings(found)
}
