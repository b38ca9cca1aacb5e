import { type CustomResourceDefinition, storageVersionNameOf, versionsOf } from '@strata/api'
import { bridgeSpec } from '../plan/bridge-definition.ts'
import type { CrdPlan, CrdStep } from '../plan/crd-plan.ts'

type Definition = CustomResourceDefinition

/** The CRDs by which objects are rewritten, one after the other: at each migration, and at last by the new file. */
export function stagesOf(
  live: Definition,
  wanted: Definition,
  steps: readonly CrdStep[],
): readonly Definition[] {
  const stages: Definition[] = []
  let now = live
  for (const step of steps) {
    if (step.do === 'bridge') now = { ...now, spec: bridgeSpec(now, wanted, step) }
    if (step.do === 'migrate') stages.push(now)
    if (step.do === 'apply') stages.push(wanted)
  }
  return stages
}

/**
 * The versions to read every object in before anything is written. Without a webhook, a read in one version hides fields that
 * only another one has: so each is read in which objects may be stored. With one, the storage version, and those that the plan
 * has to ask for before its first write.
 */
export function versionsToCompare(
  live: Definition,
  { stored, steps }: Pick<CrdPlan, 'stored' | 'steps'>,
): readonly string[] {
  const served = versionsOf(live).flatMap((each) => (each.served ? [each.name] : []))
  const storage = storageVersionNameOf(live) ?? ''
  if (live.spec.conversion?.strategy !== 'Webhook') {
    return served.filter((each) => each === storage || stored.includes(each))
  }
  const firstWrite = steps.findIndex((each) => each.do !== 'ask')
  const asked = steps.slice(0, firstWrite).flatMap((each) => (each.do === 'ask' ? [each.version] : []))
  return [...new Set([storage, ...asked])].filter((each) => served.includes(each))
}

/** Whether the server calls a webhook to store an object of this version by this CRD. */
export function needsWebhook(definition: Definition, version: string): boolean {
  return definition.spec.conversion?.strategy === 'Webhook' && storageVersionNameOf(definition) !== version
}
