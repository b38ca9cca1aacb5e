import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runScript } from './run-script.ts'
import type { ServerAccess } from './served-store.ts'
import type { StepResult } from './step-result.ts'

interface Transcript {
  readonly name: string
  readonly controllers?: boolean
}

interface Replayed {
  readonly topic: string
  readonly step: number
  readonly cmd: string
  readonly pass: boolean
  readonly diff: readonly string[]
}

const directory = join(import.meta.dirname, 'kubectl/transcripts')

/** Those that need controllers besides the server are not among them. */
export function recordedTopics(): readonly string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(directory, file), 'utf8')) as Transcript)
    .filter(({ controllers }) => !controllers)
    .map(({ name }) => name)
    .sort()
}

/** Runs the recorded commands of kubectl again and compares what it prints. */
export async function replayTranscripts(
  { kubeconfig }: Pick<ServerAccess, 'kubeconfig'>,
  topics: readonly string[],
): Promise<readonly StepResult[]> {
  const results = (await runScript(join(import.meta.dirname, 'kubectl/run.mjs'), [
    ...['--kubeconfig', kubeconfig, '--kubectl', process.env.STRATA_KUBECTL ?? 'kubectl'],
    ...['--dir', directory, '--compare', '--only', topics.join(',')],
    // Some commands wait for what a server does not send yet; none that succeeds takes so long.
    ...['--timeout', '10000'],
  ])) as readonly Replayed[]
  return results.map(({ topic, step, cmd, pass, diff }) => ({
    id: `${topic}/${String(step).padStart(2, '0')} ${cmd}`,
    ok: pass,
    why: diff.map((line) => `  ${line}`).join('\n'),
  }))
}
