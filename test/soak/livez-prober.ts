// A process of its own, so that nothing else delays what it measures. Requests /livez over and over until it reads a line on
// its input, then prints its figures. Usage: node livez-prober.ts <url> <CA file>
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import type { LivezFigures } from './livez.ts'

const everyMs = 200
const giveUpMs = 30_000
const [url = '', caFile = ''] = process.argv.slice(2)
const agent = new Agent({ ca: readFileSync(caFile), keepAlive: true, maxSockets: 1 })

const took: number[] = []
/** The time of each answer, without what this process waited for the machine meanwhile. */
const tookServer: number[] = []
const failures: string[] = []
let isDone = false

/** How late this process was woken at worst since the last probe began: a machine without time for it makes no server slow. */
let lateMs = 0
let ownDelayMs = 0
const tickMs = 20
let tickedMs = performance.now()
setInterval(() => {
  const nowMs = performance.now()
  lateMs = Math.max(lateMs, nowMs - tickedMs - tickMs)
  ownDelayMs = Math.max(ownDelayMs, lateMs)
  tickedMs = nowMs
}, tickMs)

function probe(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const startedMs = performance.now()
  lateMs = 0
  const asked = request(`${url}/livez`, { agent, timeout: giveUpMs }, (answer) => {
    if (answer.statusCode !== 200) failures.push(`status ${answer.statusCode}`)
    answer.resume()
    answer.on('end', () => {
      const ms = performance.now() - startedMs
      took.push(ms)
      // A tick that is due and has not run yet is late too.
      tookServer.push(ms - Math.max(lateMs, performance.now() - tickedMs - tickMs, 0))
      resolve()
    })
    answer.on('error', (error) => fail(error.message))
  })
  const fail = (why: string): void => {
    failures.push(why)
    resolve()
  }
  asked.on('timeout', () => asked.destroy(new Error(`no answer within ${giveUpMs / 1_000} s`)))
  asked.on('error', (error) => fail(error.message))
  asked.end()
  return promise
}

process.stdin.once('data', () => {
  isDone = true
})

while (!isDone) {
  await probe()
  await new Promise((resolve) => setTimeout(resolve, everyMs))
}
const sorted = took.toSorted((a, b) => a - b)
const at = (share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
const figures: LivezFigures = {
  ...{ probes: took.length + failures.length, failures, ownDelayMs },
  ...{ medianMs: at(0.5), p99Ms: at(0.99), slowestMs: at(1) },
  slowestOfServerMs: tookServer.reduce((most, each) => Math.max(most, each), 0),
}
process.stdout.write(JSON.stringify(figures))
process.exit(0)
