// A test process with startCluster in it, which tells what it took as one line of JSON. Arguments: tests, CRD file.
import { startCluster } from '@strata/testing'
import { nodeClock } from '@strata/world/node'
import { type Ask, runSuite } from './test-suite.ts'

const [, , tests, crds = ''] = process.argv

const took = async (work: () => Promise<unknown>): Promise<number> => {
  const startMs = nodeClock.monotonicMs()
  await work()
  return nodeClock.monotonicMs() - startMs
}

/** After the first one, in which the code is compiled. */
const furtherClusters = 10

const furtherMs: number[] = []
for (let index = 0; index <= furtherClusters; index++) {
  let cluster: Awaited<ReturnType<typeof startCluster>> | undefined
  const ms = await took(async () => {
    cluster = await startCluster({ crds })
  })
  if (index > 0) furtherMs.push(ms)
  // What starts this process takes the time until this line.
  else process.stdout.write('ready\n')
  await cluster?.stop()
}

const cluster = await startCluster({ crds })
const ask: Ask = async (method, path, body) => {
  const answer = await cluster.fetch(path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, text: await answer.text() }
}
const suiteMs = await took(() =>
  runSuite({ ask, enter: async () => 'default', leave: () => cluster.reset() }, Number(tests)),
)
const memoryBytes = process.memoryUsage.rss()
await cluster.stop()
process.stdout.write(`${JSON.stringify({ furtherMs, suiteMs, memoryBytes })}\n`)
