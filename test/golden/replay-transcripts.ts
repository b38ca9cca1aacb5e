import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runScript } from './run-script.ts'
import { type ServedStore, withServer } from './served-store.ts'
import type { StepResult } from './step-result.ts'

interface TranscriptFile {
  readonly name: string
  readonly controllers?: boolean
  readonly steps: readonly { readonly cmd: string }[]
}

/** A transcript of kubectl about one topic. Its steps build on each other: it is replayed as a whole or not at all. */
export interface Transcript {
  readonly topic: string
  /** Controllers run besides the server. */
  readonly controllers: boolean
  /** The variable that says which kubectl it was recorded with. */
  readonly program: 'STRATA_KUBECTL' | 'STRATA_KUBECTL_OLD'
  /** The ids of its steps. */
  readonly steps: readonly string[]
}

interface Replayed {
  readonly topic: string
  readonly step: number
  readonly cmd: string
  readonly pass: boolean
  readonly diff: readonly string[]
}

/** By the kubectl that was recorded: the one that people use today, and the oldest that we care for. */
const directories = {
  STRATA_KUBECTL: join(import.meta.dirname, 'kubectl/transcripts'),
  STRATA_KUBECTL_OLD: join(import.meta.dirname, 'kubectl/oldest'),
} as const

/** How many servers of one store are played to side by side: most of the time kubectl waits. */
const lanes = 2

const stepId = (topic: string, step: number, cmd: string): string =>
  `${topic}/${String(step).padStart(2, '0')} ${cmd}`

export function recordedTranscripts(): readonly Transcript[] {
  return (['STRATA_KUBECTL', 'STRATA_KUBECTL_OLD'] as const)
    .flatMap((program) => transcriptsOf(program))
    .sort((a, b) => (a.topic < b.topic ? -1 : 1))
}

function transcriptsOf(program: Transcript['program']): readonly Transcript[] {
  const directory = directories[program]
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(directory, file), 'utf8')) as TranscriptFile)
    .map(({ name, controllers = false, steps }) => ({
      topic: name,
      controllers,
      program,
      steps: steps.map(({ cmd }, index) => stepId(name, index + 1, cmd)),
    }))
}

/**
 * Runs the recorded commands of kubectl again, each topic once, and compares what it prints. A server is for one runner
 * at a time, and the runner takes topics with controllers or those without, for one kubectl.
 */
export async function replayTranscripts(
  store: ServedStore,
  transcripts: readonly Transcript[],
): Promise<readonly StepResult[]> {
  const batches = Object.values(
    Object.groupBy(transcripts, ({ controllers, program }) => `${program} ${controllers}`),
  ).flatMap((batch = []) => dealt(batch))
  const parts = await Promise.all(
    batches.map((batch) => {
      const { controllers } = batch[0]
      return withServer(store, ({ kubeconfig }) => replay(kubeconfig, batch), { controllers })
    }),
  )
  return parts.flat()
}

type Batch = readonly [Transcript, ...Transcript[]]

/** Into lanes of about the same number of steps, the longest first. */
function dealt(transcripts: readonly Transcript[]): readonly Batch[] {
  const hands: { steps: number; topics: Transcript[] }[] = []
  for (let lane = 0; lane < lanes; lane++) hands.push({ steps: 0, topics: [] })
  for (const each of [...transcripts].sort((a, b) => b.steps.length - a.steps.length)) {
    const hand = hands.reduce((least, other) => (other.steps < least.steps ? other : least))
    hand.steps += each.steps.length
    hand.topics.push(each)
  }
  return hands.map(({ topics }) => topics).filter((topics): topics is [Transcript] => topics.length > 0)
}

async function replay(kubeconfig: string, [first, ...others]: Batch): Promise<readonly StepResult[]> {
  const { program, controllers } = first
  const topics = [first, ...others].map(({ topic }) => topic)
  return replayTopics({ kubeconfig, program, directory: directories[program], topics, controllers })
}

export interface Topics {
  readonly kubeconfig: string
  readonly program: Transcript['program']
  /** Where the transcripts are. */
  readonly directory: string
  readonly topics: readonly string[]
  readonly controllers?: boolean
  /** The number that a step was recorded with, where only some of them are played. */
  readonly numberOf?: (step: number) => number
}

/** Runs the commands of these topics against one server. */
export async function replayTopics(what: Topics): Promise<readonly StepResult[]> {
  const { kubeconfig, program, directory, topics, controllers = false, numberOf = (step) => step } = what
  const kubectl = process.env[program]
  if (!kubectl) throw new Error(`${program} is not set: run npm test, which brings it, or say where it is`)
  const results = (await runScript(join(import.meta.dirname, 'kubectl/run.mjs'), [
    ...['--kubeconfig', kubeconfig, '--kubectl', kubectl],
    ...['--dir', directory, '--compare', '--only', topics.join(',')],
    ...(controllers ? ['--controllers'] : []),
    // Some commands wait for what a server does not send yet; none that succeeds takes so long.
    ...['--timeout', '10000'],
  ])) as readonly Replayed[]
  return results.map(({ topic, step, cmd, pass, diff }) => ({
    id: stepId(topic, numberOf(step), cmd),
    ok: pass,
    why: diff.map((line) => `  ${line}`).join('\n'),
  }))
}
