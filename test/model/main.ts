import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Exploration } from './explore.ts'
import { type ModelOptions, parseOptions, UsageError, usage } from './options.ts'
import { type Story, serverCount, smaller } from './story.ts'
import type { StoryMessage, StoryRequest, StoryTime } from './visit-story.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)

/** Visits the stories, one for each processor at a time; each in a thread of its own. Says whether every promise held. */
async function visitAll(options: ModelOptions): Promise<boolean> {
  const waiting = [...options.stories]
  const held: boolean[] = []
  const visitNext = async (): Promise<void> => {
    for (let story = waiting.shift(); story; story = waiting.shift()) held.push(await visit(story, options))
  }
  await Promise.all(Array.from({ length: availableParallelism() }, visitNext))
  return held.every(Boolean)
}

function visit(story: Story, options: ModelOptions): Promise<boolean> {
  const { isSmall, maxStates, output } = options
  const workerData: StoryRequest = { name: story.name, isSmall, maxStates }
  const worker = new Worker(new URL('./visit-story.ts', import.meta.url), { workerData })
  return new Promise((resolve, reject) => {
    worker.on('error', reject)
    worker.on('message', (message: StoryMessage) => {
      if ('found' in message) {
        print(report(isSmall ? smaller(story) : story, message.found, message.time, output))
        resolve(message.found.isWhole && !message.found.broken)
      } else if (output === 'text') {
        print(`${story.name}: ${message.states} states, ${message.waiting} to look at next`)
      }
    })
  })
}

function report(story: Story, found: Exploration, time: StoryTime, output: ModelOptions['output']): string {
  const size = { processes: story.slots.length, servers: serverCount(story) }
  return output === 'json'
    ? JSON.stringify({ story: story.name, ...size, ...found, ...time })
    : describe(story, found, time)
}

function describe(story: Story, found: Exploration, time: StoryTime): string {
  const { states, steps, records, depth } = found
  const fleet = `processes: ${story.slots.length}, servers: ${serverCount(story)}`
  const took = `${time.seconds.toFixed(1)} s (${time.cpuSeconds.toFixed(1)} s of processor time)`
  const size = `${states} states, ${steps} steps, ${records} records, ${depth} deep, ${fleet}, ${took}`
  if (found.broken) {
    const trace = found.broken.trace.map((line, index) => `  ${index + 1}. ${line}`).join('\n')
    return `${story.name}: BROKEN ${found.broken.promise}\n${trace}\n${size}`
  }
  const end = found.isWhole ? 'every state visited, every promise holds' : 'given up, not all states visited'
  return `${story.name}: ${end}: ${size}`
}

try {
  const options = parseOptions(process.argv.slice(2))
  if (options.help) print(usage)
  else process.exitCode = (await visitAll(options)) ? 0 : 1
} catch (error) {
  const isUsage =
    error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  if (!isUsage) throw error
  process.stderr.write(`${(error as Error).message}\n${usage}\n`)
  process.exitCode = 2
}
