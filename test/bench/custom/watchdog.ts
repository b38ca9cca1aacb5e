import { sleep } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import type { LoadClient } from '../load/load-client.ts'

const pauseMs = 5

/** Asks over and over whether a server is alive, and tells how long the longest wait for the answer was. */
export async function longestSilenceMs(client: LoadClient, during: () => Promise<unknown>): Promise<number> {
  let longestMs = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const startMs = nodeClock.monotonicMs()
      const { status } = await client.request('GET', '/livez')
      if (status !== 200) throw new Error(`/livez was answered ${status}`)
      longestMs = Math.max(longestMs, nodeClock.monotonicMs() - startMs)
      await sleep(nodeClock, pauseMs)
    }
  })()
  try {
    await during()
  } finally {
    isOver = true
    await watching
  }
  return longestMs
}
