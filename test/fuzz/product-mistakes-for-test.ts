import { type Applied, applyObject, isJsonObject, type JsonObject } from '@strata/api'
import type { FuzzTarget } from './target.ts'
import { applyTarget } from './targets/apply.ts'

type DataOf = (live: JsonObject, next: JsonObject) => JsonObject

/** An apply after which `data` is what a mistake makes of it. */
const applyWith = (dataOf: DataOf): FuzzTarget =>
  applyTarget((application): Applied => {
    const outcome = applyObject(application)
    const before = application.live?.['data']
    if (outcome.outcome !== 'applied' || !isJsonObject(before)) return outcome
    const after = isJsonObject(outcome.object['data']) ? outcome.object['data'] : {}
    return { ...outcome, object: { ...outcome.object, data: dataOf(before, after) } }
  })

const mistaken: Readonly<Record<string, FuzzTarget>> = {
  'apply keeps the old values': applyWith((live, next) =>
    Object.fromEntries(Object.entries(next).map(([key, value]) => [key, live[key] ?? value])),
  ),
  'apply removes nothing': applyWith((live, next) => ({ ...live, ...next })),
  'apply removes what nobody named': applyWith((live, next) =>
    Object.fromEntries(Object.entries(next).filter(([key, value]) => live[key] !== value)),
  ),
  'apply never conflicts': applyTarget((application) => applyObject({ ...application, force: true })),
}

/** The product with known mistakes, each as a target of its own: the oracles must notice every one. */
export const targets: readonly FuzzTarget[] = Object.entries(mistaken).map(([name, target]) => ({
  ...target,
  name,
}))
