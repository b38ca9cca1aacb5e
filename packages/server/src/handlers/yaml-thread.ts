// The beginning of the thread that reads long YAML texts, one after the other.
import { parentPort } from 'node:worker_threads'
import { parseYaml } from './yaml.ts'
import type { YamlReply } from './yaml-reader.ts'

function read(text: string): YamlReply {
  try {
    const { value, twice } = parseYaml(text)
    return { json: JSON.stringify(value) ?? 'null', twice }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

const say = (reply: YamlReply): void => parentPort?.postMessage(reply)
parentPort?.on('message', (text: string) => say(read(text)))
say({ ready: true })
