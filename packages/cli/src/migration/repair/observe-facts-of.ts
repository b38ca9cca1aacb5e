import {
  customResourceDefinitions,
  groupResourceText,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '@strata/api'
import {
  addressOf,
  type Client,
  type DiscoveredResource,
  isAbsence,
  isNotFound,
  isNotFoundOrForbidden,
  isRequestFailure,
} from '@strata/client'
import { deadline, type World } from '@strata/world'
import { isUnreadableNow } from '../run/is-unreadable-now.ts'
import type { ObjectFacts, Refuser } from './decide-ways.ts'
import type { SetAside } from './observe-set-aside.ts'

const lookMs = 30_000

/** What is known of an object now. */
export async function observeObject(
  client: Client,
  resource: DiscoveredResource,
  { namespace, name, reason, message }: SetAside,
  { isCustom, store }: Pick<ObjectFacts, 'isCustom' | 'store'>,
  { world, signal }: { readonly world: Pick<World, 'clock'>; readonly signal: AbortSignal },
): Promise<ObjectFacts> {
  const common = { resource, namespace, name, isCustom, store }
  const limit = deadline(world.clock, lookMs, signal)
  try {
    const reference = namespace === undefined ? { name } : { namespace, name }
    const { metadata } = await client.metadata(resource).get(reference, limit.signal)
    const isDeleted = metadata.deletionTimestamp !== undefined
    const refuser = await observeRefuser(client, message, limit.signal)
    const { finalizers = [] } = metadata
    return { ...common, reason, message, now: 'readable', refuser, ...(isDeleted ? { finalizers } : {}) }
  } catch (error) {
    if (signal.aborted || !isRequestFailure(error)) throw error
    if (isAbsence(error, resource, name)) return { ...common, reason, message, now: 'gone' }
    if (isUnreadableNow(error))
      return { ...common, reason: 'Undecodable', message: error.message, now: 'undecodable' }
    return { ...common, reason, message, now: 'unseen' }
  } finally {
    limit.dispose()
  }
}

/** Whether a CRD defines the resource; undefined if that could not be seen. */
export async function observeIsCustom(
  client: Client,
  resource: DiscoveredResource,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  if (!resource.group.includes('.')) return false
  try {
    const definitions = client.metadata(addressOf(customResourceDefinitions, 'v1'))
    await definitions.get({ name: groupResourceText(resource) }, signal)
    return true
  } catch (error) {
    if (signal.aborted || !isRequestFailure(error)) throw error
    return isNotFound(error) ? false : undefined
  }
}

/** Servers put these words before what a webhook or a policy says. */
const byWebhook = /(?:admission webhook|calling webhook|call webhook) "([^"]+)"/
const byPolicy = /ValidatingAdmissionPolicy '([^']+)' with binding/

/** The webhook or policy that a message names, and the object to change. */
async function observeRefuser(
  client: Client,
  message: string,
  signal: AbortSignal,
): Promise<Refuser | undefined> {
  const [, policy] = byPolicy.exec(message) ?? []
  if (policy !== undefined) return { name: policy, configuredBy: `validatingadmissionpolicy/${policy}` }
  const [, name] = byWebhook.exec(message) ?? []
  if (name === undefined) return undefined
  for (const kind of [validatingWebhookConfigurations, mutatingWebhookConfigurations]) {
    try {
      const { items } = await client.resource(kind, 'v1').list({}, signal)
      const found = items.find(({ webhooks = [] }) => webhooks.some((each) => each.name === name))
      if (found) return { name, configuredBy: `${kind.plural.replace(/s$/, '')}/${found.metadata.name}` }
    } catch (error) {
      if (!isNotFoundOrForbidden(error)) throw error
    }
  }
  return { name }
}
