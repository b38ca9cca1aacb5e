import type { Action, Outcome } from '../checkers/operation.ts'
import type { Call } from '../clients/history.ts'
import { allTargets, bothStores, type FaultContext, type FaultKind } from '../fault-kind.ts'
import { serverNames } from '../stage/network.ts'

/** A backup or a restore happens to every key at once. */
function record({ history, keys }: FaultContext, action: Action, call: Call): void {
  const done: Outcome = { is: 'done' }
  for (const key of keys) history.add('operator', key, action, done, call)
}

/** A backup, then more writes, then the backup in the place of the store. What was acknowledged in between is gone. */
async function backUpAndRestore(
  context: FaultContext,
  { isUnderServers, way }: { readonly isUnderServers: boolean; readonly way: number },
): Promise<() => Promise<void>> {
  const { stage, history, watchers } = context
  const taken = history.call()
  context.note(`by ${await stage.home.backup(way)}`)
  record(context, { do: 'backup' }, taken)
  return async () => {
    const before = history.incarnation ?? 0
    const begun = history.call()
    history.incarnation = undefined
    if (!isUnderServers) await Promise.all(serverNames.map((name) => stage.running(name)?.kill()))
    await stage.home.restore(() => {
      for (const watcher of watchers) watcher.startOver({ hangUp: !isUnderServers })
    })
    record(context, { do: 'restore' }, begun)
    history.incarnation = before + 1
    if (!isUnderServers) await stage.untilWhole()
  }
}

export const restore: FaultKind = {
  name: 'restore',
  summary: 'a backup is taken, and put back a while later while no server runs',
  stores: bothStores,
  targets: () => allTargets,
  begin: (context, { magnitude }) => backUpAndRestore(context, { isUnderServers: false, way: magnitude }),
}

/** Revisions go back and are given out again while servers have the later ones in memory. */
export const restoreUnderServers: FaultKind = {
  name: 'restore-running',
  summary: 'the same, under running servers',
  stores: ['etcd'],
  targets: () => allTargets,
  begin: (context, { magnitude }) => backUpAndRestore(context, { isUnderServers: true, way: magnitude }),
}
