// The beginning of the thread that reads one long YAML text.
import { parentPort, workerData } from 'node:worker_threads'
import { parseYaml } from './yaml.ts'
import type { YamlReply } from './yaml-aside.ts'

function read(text: string): YamlReply {
  try {
    const { value, twice } = parseYaml(text)
    return { json: JSON.stringify(value) ?? 'null', twice }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

parentPort?.postMessage(read(workerData as string))
