import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CliContext } from '../context.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { isConfirmed } from '../output/is-confirmed.ts'
import { decideStartOver } from './decide-start-over.ts'
import type { FleetOptions } from './fleet-options.ts'

/** Empties the data directory, which is locked, and asks before data is lost. Throws if the user says no, or cannot be asked. */
export async function startOver(
  dataDir: string,
  { etcdServers, yes }: Pick<FleetOptions, 'etcdServers' | 'yes'>,
  context: Pick<CliContext, 'ask' | 'print'>,
): Promise<void> {
  const entries = await readdir(dataDir)
  const stored = await readdir(join(dataDir, 'store')).catch(() => [])
  const hasEtcd = etcdServers !== undefined
  const decision = decideStartOver({ dataDir, entries, hasStore: stored.length > 0, hasEtcd })
  switch (decision.do) {
    case 'refuse':
      throw new CliError(decision.why, exitCodes.usage)
    case 'ask':
      if (yes) break
      if (!context.ask)
        throw new CliError(
          `--fresh deletes what is stored in ${dataDir}, and there is no terminal to ask: add --yes; nothing was deleted`,
          exitCodes.usage,
        )
      if (!(await isConfirmed(context, `Delete everything that is stored in ${dataDir}?`)))
        throw new CliError('nothing was deleted: start without --fresh to continue with the data')
      break
    case 'delete':
      break
  }
  await Promise.all(decision.entries.map((name) => rm(join(dataDir, name), { recursive: true, force: true })))
  if (decision.do === 'ask') context.print(`deleted what was stored in ${dataDir}`)
}
