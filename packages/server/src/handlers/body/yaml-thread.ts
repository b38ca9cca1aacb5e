// The entry of the thread that parses long YAML texts, one after the other.
import { parentPort } from 'node:worker_threads'
import { ApiError } from '@strata/api'
import { parseYaml } from './yaml.ts'
import type { YamlReply } from './yaml-reader.ts'

function read(text: string): YamlReply {
  try {
    const { value, twice } = parseYaml(text)
    return { json: JSON.stringify(value) ?? 'null', twice }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { problem, isTooLarge: error instanceof ApiError }
  }
}

const say = (reply: YamlReply): void => parentPort?.postMessage(reply)
parentPort?.on('message', (text: string) => say(read(text)))
say({ ready: true })
