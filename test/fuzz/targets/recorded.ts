import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject } from '@strata/api'

/** A request that was sent to kube-apiserver when its answers were recorded. */
export interface RecordedStep {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const folder = join(import.meta.dirname, '../../golden/recordings/scenarios')
let steps: readonly RecordedStep[] | undefined

/** Every step of every recorded scenario that has a method and a path. */
export function recordedSteps(): readonly [RecordedStep, ...RecordedStep[]] {
  steps ??= readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => stepsIn(JSON.parse(readFileSync(join(folder, file), 'utf8'))))
  return steps as [RecordedStep, ...RecordedStep[]]
}

function stepsIn(value: unknown): RecordedStep[] {
  if (Array.isArray(value)) return value.flatMap(stepsIn)
  if (!isJsonObject(value)) return []
  const { method, path } = value
  if (typeof method === 'string' && typeof path === 'string') return [value as unknown as RecordedStep]
  return Object.values(value).flatMap(stepsIn)
}

let bodies: readonly unknown[] | undefined

/** The bodies among them that are objects. */
export function recordedBodies(): readonly [unknown, ...unknown[]] {
  bodies ??= recordedSteps().flatMap(({ body }) => (isJsonObject(body) ? [body] : []))
  return bodies as [unknown, ...unknown[]]
}
