import type { Worker } from 'node:worker_threads'
import { MalformedJson, parseLossless } from '../codec/index.ts'
import { startYamlThread } from './start-yaml-thread.ts'
import type { ParsedYaml } from './yaml.ts'

/** What the thread says: the value as JSON, or what is wrong with the text. */
export type YamlReply =
  | { readonly json: string; readonly twice: readonly string[] }
  | { readonly problem: string }

let busy: Promise<unknown> = Promise.resolve()

/** One text at a time: whoever sends many long ones waits for himself. */
export function parseYamlAside(text: string, signal: AbortSignal): Promise<ParsedYaml> {
  const mine = busy.then(() => readInThread(text, signal))
  busy = mine.catch(() => {})
  return mine
}

async function readInThread(text: string, signal: AbortSignal): Promise<ParsedYaml> {
  signal.throwIfAborted()
  const worker = startYamlThread(text)
  try {
    const reply = await replyOf(worker, signal)
    if ('problem' in reply) throw new MalformedJson(reply.problem)
    return { value: parseLossless(reply.json), twice: reply.twice }
  } finally {
    await worker.terminate()
  }
}

function replyOf(worker: Worker, signal: AbortSignal): Promise<YamlReply> {
  const { promise, resolve, reject } = Promise.withResolvers<YamlReply>()
  const giveUp = (): void => reject(signal.reason)
  signal.addEventListener('abort', giveUp, { once: true })
  worker.once('message', resolve)
  // It has come to the end of the memory that a thread may use.
  worker.once('error', () => resolve({ problem: 'yaml: the document is too complex' }))
  return promise.finally(() => signal.removeEventListener('abort', giveUp))
}
