// Runs in a thread of its own: visits the states of one story, and tells how far it is.
import { parentPort, workerData } from 'node:worker_threads'
import { type Exploration, explore } from './explore.ts'
import { smaller, stories } from './story.ts'

export interface StoryRequest {
  readonly name: string
  readonly isSmall: boolean
  readonly maxStates: number
}

export interface StoryTime {
  readonly seconds: number
  /** Time of the processor, which other programs may use too. */
  readonly cpuSeconds: number
}

export type StoryMessage =
  | { readonly states: number; readonly waiting: number }
  | { readonly found: Exploration; readonly time: StoryTime }

/** States between two lines of progress. */
const stride = 500_000

const { name, isSmall, maxStates } = workerData as StoryRequest
const tell = (message: StoryMessage): void => parentPort?.postMessage(message)
const story = stories.find((each) => each.name === name)
if (!story) throw new Error(`there is no story ${name}`)
const startedMs = performance.now()
let told = 0
const found = explore(isSmall ? smaller(story) : story, {
  maxStates,
  onProgress: (states, waiting) => {
    if (states < told + stride) return
    told = states
    tell({ states, waiting })
  },
})
const { user, system } = process.threadCpuUsage()
tell({
  found,
  time: { seconds: (performance.now() - startedMs) / 1000, cpuSeconds: (user + system) / 1_000_000 },
})
