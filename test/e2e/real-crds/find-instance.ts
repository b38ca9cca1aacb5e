import { generateInstance, type Instance } from '@strata/rehearsal/generate'
import { handwritten } from './handwritten.ts'
import type { Operator } from './operator.ts'
import type { PublishedKind } from './published-kind.ts'

export interface Found {
  readonly kind: PublishedKind
  readonly instance: Instance
  /** The server's errors about earlier attempts. */
  readonly refusals: readonly string[]
}

/** How much of what may be left out is there. Rules in CEL are mostly about that, so less of it is tried next, then more. */
const shares = [0.5, 0.5, 0.3, 0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05, 0, 0, 0.9, 0.9, 0.7, 0.7] as const

/** An instance that the server would take. Throws with all refusals if there is none. */
export async function findInstance(operator: Operator, kind: PublishedKind, name: string): Promise<Found> {
  const refusals: string[] = []
  for (const instance of candidates(kind, name)) {
    const target = `${kind.path}?dryRun=All&fieldValidation=Strict`
    const { status, body } = await operator.ask('POST', target, instance)
    if (status === 201) return { kind, instance, refusals }
    refusals.push(`${status} ${body.message} for ${JSON.stringify(instance).slice(0, 400)}`)
    if (status !== 422) break
    // Without rules there is nothing that the generator could not know.
    if (!hasRules(kind)) break
  }
  const { crd, spec } = kind
  throw new Error(`${crd.file} ${spec.name}: no instance is accepted:\n${refusals.slice(-3).join('\n')}`)
}

function* candidates(kind: PublishedKind, name: string): Generator<Instance> {
  const { crd, spec, schema, apiVersion } = kind
  const isNamespaced = crd.spec.scope === 'Namespaced'
  const base = {
    ...{ schema, apiVersion, kind: crd.spec.names.kind, name },
    ...(isNamespaced ? { namespace: 'default' } : {}),
    without: spec.subresources?.status ? ['status'] : [],
  }
  const [share, ...others] = shares
  const generated = (each: number, index: number): Instance =>
    generateInstance({
      ...base,
      seed: `${crd.metadata.name} ${spec.name} ${index}`,
      share: each,
      withFields: ['spec'],
    })
  yield generated(share, 0)
  const written = handwritten(crd.metadata.name, spec.name)
  if (written) {
    const { apiVersion: _, kind: __, metadata } = generateInstance({ ...base, seed: '', share: 0 })
    yield { apiVersion, kind: crd.spec.names.kind, metadata, ...written }
  }
  for (const [index, each] of others.entries()) yield generated(each, index + 1)
  yield generateInstance({ ...base, seed: '', share: 0 })
}

export function hasRules({ schema }: PublishedKind): boolean {
  return JSON.stringify(schema).includes('"x-kubernetes-validations"')
}
