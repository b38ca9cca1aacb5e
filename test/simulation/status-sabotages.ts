import { type Transport, utf8 } from '@strata/world'
import type { Sabotage } from './sabotage.ts'

const isOfStatus = /\/status(?=[?]|$)/
const isOfQuota = /\/resourcequotas\/[^/?]+(?=[?]|$)/

/** Takes a write of the status for a write of the object. */
const writeObjectInstead =
  (handle: Transport): Transport =>
  (request) =>
    handle({ ...request, target: request.target.replace(isOfStatus, '') })

/** Writes the status that comes with an object, too. */
const writeStatusAsWell =
  (handle: Transport): Transport =>
  async (request) => {
    const response = await handle(request)
    const { method, target, body } = request
    if (method !== 'PUT' || response.status !== 200 || !isOfQuota.test(target) || !body) return response
    const { metadata, ...object } = JSON.parse(utf8.decode(body))
    const { resourceVersion: _, ...identity } = metadata
    const whole = utf8.encode(JSON.stringify({ ...object, metadata: identity }))
    await handle({ ...request, target: target.replace(isOfQuota, '$&/status'), body: whole })
    return response
  }

const shape = { statuses: true, clients: 3 } as const

/** What is promised of the status subresource, broken one promise at a time. */
export const statusSabotages: readonly Sabotage[] = [
  {
    name: 'status-writes-object',
    breaks: 'status: a write of the status subresource changes the object and not its status',
    caughtBy: ['no-lost-write'],
    wrapHandle: writeObjectInstead,
    shape,
  },
  {
    name: 'object-writes-status',
    breaks: 'status: a write of the object changes its status as well',
    caughtBy: ['no-lost-write'],
    wrapHandle: writeStatusAsWell,
    shape,
  },
]
