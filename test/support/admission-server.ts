import assert from 'node:assert/strict'
import type { WebhookClient } from '@strata/server'
import { startServer } from './one-server.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever was sent.
type Json = any

/** The response of a webhook; a text is a failed call. */
export type Say = (request: Json, review: Json) => Record<string, unknown> | Promise<Record<string, unknown>>

export interface Asked {
  readonly hook: string
  readonly request: Json
  readonly timeoutMs: number
}

/** A server whose webhooks are functions, by the path of their address. */
export async function startAdmissionServer(
  seed: string,
  says: Readonly<Record<string, Say>>,
  options: Omit<NonNullable<Parameters<typeof startServer>[1]>, 'webhooks'> = {},
) {
  const asked: Asked[] = []
  const webhooks: WebhookClient = async ({ config, body, timeoutMs }) => {
    const review = JSON.parse(Buffer.from(body).toString())
    const hook = new URL(config.url ?? '').pathname.slice(1)
    asked.push({ hook, request: review.request, timeoutMs })
    const say = says[hook]
    assert.ok(say, `no webhook listens at ${config.url}`)
    const response = await say(review.request, review)
    const { apiVersion, kind } = review
    return { apiVersion, kind, response: { uid: review.request.uid, allowed: true, ...response } }
  }
  const started = await startServer(seed, { ...options, webhooks })
  return { ...started, asked: () => asked.splice(0) }
}

export const group = '/apis/admissionregistration.k8s.io/v1'

/** A configuration of webhooks, named by the paths of their addresses. */
export function configuration(
  kind: 'Mutating' | 'Validating',
  name: string,
  ...webhooks: ReadonlyArray<readonly [hook: string, more?: Record<string, unknown>]>
) {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks: webhooks.map(([hook, more]) => ({
      name: `${hook}.example.com`,
      clientConfig: { url: `https://webhooks.test/${hook}` },
      rules: [everything],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      // Webhooks are not called for the objects that the server creates at start.
      objectSelector: { matchExpressions: [{ key: 'ignore', operator: 'DoesNotExist' }] },
      ...more,
    })),
  }
}

export const everything = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }
export const configurationPath = (kind: 'Mutating' | 'Validating'): string =>
  `${group}/${kind.toLowerCase()}webhookconfigurations`

/** An answer that changes the object. */
export const patchOf = (...operations: readonly unknown[]) => ({
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
  patchType: 'JSONPatch',
})

/** An answer that sets a label, whether there are others or not. */
export const label = (request: Json, key: string, value: string) =>
  patchOf(
    request.object.metadata.labels
      ? { op: 'add', path: `/metadata/labels/${key}`, value }
      : { op: 'add', path: '/metadata/labels', value: { [key]: value } },
  )
