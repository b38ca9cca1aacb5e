import { type ApiObject, groupResourceText } from '@strata/api'
import { invariant } from '@strata/world'
import type { User } from '../../authentication/index.ts'
import { adoptNamespace, type Registry, trackFields } from '../../registry/index.ts'
import { respondJson } from '../answer/respond.ts'
import { readObject } from '../body/decode-object.ts'
import type { ResourceHandler } from '../request-context.ts'
import { writeOptions } from '../verbs/parse-write-options.ts'

export interface ReviewRequest {
  /** As it was sent, with its defaults and its managers; whoever answers may change it. */
  readonly object: ApiObject
  readonly user: User
  /** Of the path; '' for questions that are about no namespace. */
  readonly namespace: string
  readonly signal: AbortSignal
}

/** Answers one kind of question: with the object that was sent and a status, or with another. */
export type Reviewer = (request: ReviewRequest) => ApiObject | Promise<ApiObject>

/** By resource and group: `tokenreviews.authentication.k8s.io`. */
export type Reviewers = Readonly<Record<string, Reviewer>>

/** POST of a kind that is answered rather than stored: read and refused like any other, and then forgotten. */
export function reviewHandler(registry: Registry, reviewers: Reviewers): ResourceHandler {
  return async (context, resource, { namespace }) => {
    const { definition, apiVersion } = resource
    const options = writeOptions(context, 'CreateOptions')
    const object = await readObject(context, registry.api, resource, options.fieldValidation)
    adoptNamespace(object, definition, namespace)
    trackFields(registry, resource, { stored: undefined, next: object, storedHub: undefined, options })
    const reviewer = reviewers[groupResourceText(definition)]
    invariant(reviewer && context.user, `no reviewer for ${definition.resource}`)
    const { signal, user } = context
    const answer = await reviewer({ object, user, namespace, signal })
    return respondJson(201, { ...answer, kind: definition.kind, apiVersion })
  }
}
