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

/** What kubectl was seen to do about one topic. Its steps build on each other: it is played as a whole or not at all. */
export interface Transcript {
  readonly topic: string
  /** Controllers run besides the server. */
  readonly controllers: boolean
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

const directory = join(import.meta.dirname, 'kubectl/transcripts')

const stepId = (topic: string, step: number, cmd: string): string =>
  `${topic}/${String(step).padStart(2, '0')} ${cmd}`

export function recordedTranscripts(): readonly Transcript[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(directory, file), 'utf8')) as TranscriptFile)
    .map(({ name, controllers = false, steps }) => ({
      topic: name,
      controllers,
      steps: steps.map(({ cmd }, index) => stepId(name, index + 1, cmd)),
    }))
    .sort((a, b) => (a.topic < b.topic ? -1 : 1))
}

/** Runs the recorded commands of kubectl again, each topic once, and compares what it prints. */
export async function replayTranscripts(
  store: ServedStore,
  transcripts: readonly Transcript[],
): Promise<readonly StepResult[]> {
  // The program takes those with controllers or those without, and a server is for one program at a time.
  const parts = await Promise.all(
    [false, true].map((controllers) => {
      const topics = transcripts.filter((each) => each.controllers === controllers).map(({ topic }) => topic)
      if (topics.length === 0) return []
      return withServer(store, ({ kubeconfig }) => replay(kubeconfig, topics, controllers), { controllers })
    }),
  )
  return parts.flat()
}

async function replay(
  kubeconfig: string,
  topics: readonly string[],
  controllers: boolean,
): Promise<readonly StepResult[]> {
  const results = (await runScript(join(import.meta.dirname, 'kubectl/run.mjs'), [
    ...['--kubeconfig', kubeconfig, '--kubectl', process.env.STRATA_KUBECTL ?? 'kubectl'],
    ...['--dir', directory, '--compare', '--only', topics.join(',')],
    ...(controllers ? ['--controllers'] : []),
    // Some commands wait for what a server does not send yet; none that succeeds takes so long.
    ...['--timeout', '10000'],
  ])) as readonly Replayed[]
  return results.map(({ topic, step, cmd, pass, diff }) => ({
    id: stepId(topic, step, cmd),
    ok: pass,
    why: diff.map((line) => `  ${line}`).join('\n'),
  }))
}
