import { type ApiObject, apiVersionOf, type CustomResourceDefinition, namespacedName } from '@strata/api'
import type { Client } from '@strata/client'
import type { CliContext } from '../../context.ts'
import { pagesWithRetries } from '../../migration/resources/list-pages.ts'
import { type Loss, lossJudge } from '../loss/index.ts'
import type { LossFinding, LossKind } from './loss-groups.ts'
import { needsWebhook } from './stages.ts'

export interface CompareOptions {
  readonly client: Client
  /** By which the objects are served now. */
  readonly live: CustomResourceDefinition
  readonly stages: readonly CustomResourceDefinition[]
  readonly versionName: string
  readonly pageSize: number
  readonly onObject: (object: ApiObject, findings: readonly LossFinding[]) => void
  /** Called before a page is asked for again. */
  readonly onWait?: (error: unknown) => void
}

/**
 * Compares every object, read in one version, with what each stage would store. Returns how many there are. Without stages it
 * only reads them: a conversion webhook has to answer for that. Each object is seen once, also if a page has to be read again.
 */
export async function compareStored(
  options: CompareOptions,
  context: Pick<CliContext, 'world' | 'signal'>,
): Promise<number> {
  const { client, live, stages, versionName, pageSize, onObject, onWait = () => {} } = options
  const { group, names } = live.spec
  const address = { group, versionName, resource: names.plural }
  const compare = comparison(live, stages)
  let count = 0
  const objects = client.resource(address)
  const pages = pagesWithRetries(context, (page, signal) => objects.listPage(page, signal), pageSize, {
    onWait,
  })
  for await (const items of pages) {
    for (const item of items) {
      const object = { ...item, apiVersion: apiVersionOf(group, versionName), kind: names.kind }
      onObject(object, compare(object))
    }
    count += items.length
  }
  return count
}

/** What each stage would make of an object. */
export function comparison(
  live: CustomResourceDefinition,
  stages: readonly CustomResourceDefinition[],
): (object: ApiObject) => readonly LossFinding[] {
  const judged = stages.map((next, index) => ({
    next,
    judge: lossJudge({ today: stages[index - 1] ?? live, next }),
  }))
  return (object) => {
    const findings: LossFinding[] = []
    const name = namespacedName(object.metadata)
    let isChanged = false
    let current = object
    for (const { next, judge } of judged) {
      const version = (current.apiVersion ?? '').replace(/^.*\//, '')
      // What a webhook makes of it is compared once it was asked.
      if (needsWebhook(next, version)) break
      const loss = judge.compare(current)
      findings.push(...findingsOf(loss, name))
      if (loss.outcome === 'unreadable') break
      isChanged ||= loss.lost.length > 0 || loss.changed.length > 0
      // A server tolerates what a write leaves as it is. But it is this upgrade that makes the object what it is then.
      if (isChanged) findings.push(...refusalsOf(loss.tolerated, name))
      current = loss.stored
    }
    return findings
  }
}

function findingsOf(loss: Loss, object: string): readonly LossFinding[] {
  if (loss.outcome === 'unreadable')
    return [{ kind: 'refused', path: 'apiVersion', object, message: loss.reason }]
  const named = (kind: LossKind, list: readonly { readonly path: string }[]): LossFinding[] =>
    list.map(({ path }) => ({ kind, path, object }))
  return [
    ...named('lost', loss.lost),
    ...named('changed', loss.changed),
    ...refusalsOf(loss.refusals, object),
  ]
}

function refusalsOf(messages: readonly string[], object: string): readonly LossFinding[] {
  return messages.map((message) => {
    const [path = ''] = message.split(': ')
    return { kind: 'refused', path, object, message }
  })
}
