// A migrator in a process of its own, which can be killed at any moment. It keeps its place in a file, as others keep it in
// the status of an object, and goes on from there when it is started again.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { GroupResource } from '@strata/api'
import { createClient, createFailoverTransport } from '@strata/client'
import { migrate, observeTarget, resumeOfStatus, statusOfReport } from '@strata/controllers'
import { silentLog } from '@strata/world'
import { createNodeTransport, createNodeWorld } from '@strata/world/node'
import type { MigratorMessage, MigratorTask } from './migrator-process.ts'

const task: MigratorTask = JSON.parse(process.argv[2] ?? '')
const world = createNodeWorld({ log: silentLog })
const [first, ...others] = task.servers.map(({ url, ca, token }) =>
  createNodeTransport({ server: url, ca, token }),
)
if (!first) throw new Error('no server was named')
const client = createClient({
  transport: createFailoverTransport([first, ...others]),
  userAgent: 'migrator-program',
})
const resource: GroupResource = task.resource
const { signal } = new AbortController()
const tell = (message: MigratorMessage): void => void process.send?.(message)

/** Waits before the given page, until a message arrives or the process is killed. */
let looks = 0
async function hold(): Promise<void> {
  if (!task.holdAt?.includes(++looks)) return
  const released = new Promise<void>((resolve) => process.once('message', () => resolve()))
  tell({ kind: 'held' })
  await released
}

const observe = async () => {
  await hold()
  return observeTarget({ client, resource }, signal)
}
const decision = await observeTarget({ client, resource }, signal)
if (!decision.agreed) throw new Error(decision.because)
const result = await migrate({
  ...{ world, client, target: decision.target, observe, signal, nextToData: task.nextToData },
  resume: readPlace(),
  // Only the look before each page is counted.
  limits: {
    ...{ pageSize: task.pageSize, batchSize: task.pageSize, targetEveryMs: 3_600_000 },
    // Often enough that little is done twice after a kill; the file is written while everything else waits.
    progressEveryMs: Math.max(20, task.pageSize / 10),
    startParallelism: 16,
  },
  onProgress: (report) => {
    writeFileSync(`${task.stateFile}.new`, JSON.stringify(statusOfReport(report)))
    renameSync(`${task.stateFile}.new`, task.stateFile)
  },
})
const { outcome, proof, because, progress } = result
tell({ kind: 'done', outcome, proof, because, progress })
process.disconnect?.()
first.close()
for (const each of others) each.close()

function readPlace() {
  try {
    return resumeOfStatus(resource, JSON.parse(readFileSync(task.stateFile, 'utf8')))
  } catch {
    return undefined
  }
}
