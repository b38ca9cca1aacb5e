import { type ApiObject, groupResourceText } from '@strata/api'
import { invariant } from '@strata/world'
import type { User } from '../../authentication/index.ts'
import { adoptNamespace, type Registry, trackFields } from '../../registry/index.ts'
import { respondJson } from '../answer/respond.ts'
import { readObject } from '../body/decode-object.ts'
import type { ResourceHandler } from '../request-context.ts'
import { writeOptions } from '../verbs/parse-write-options.ts'

export interface ReviewRequest {
  /** The object as sent, with defaults and managed fields. The reviewer may change it. */
  readonly object: ApiObject
  readonly user: User
  /** The namespace in the path; '' for reviews without a namespace. */
  readonly namespace: string
  /** Set if the path allows questions about this group only. */
  readonly onlyGroup: string | undefined
  readonly signal: AbortSignal
}

/** Answers one review kind, with the object and a status or with another object. */
export type Reviewer = (request: ReviewRequest) => ApiObject | Promise<ApiObject>

/** By resource and group: `tokenreviews.authentication.k8s.io`. */
export type Reviewers = Readonly<Record<string, Reviewer>>

/** POST of a review kind: decoded and validated like any object, and not stored. */
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
    const onlyGroup = resource.view?.group
    const answer = await reviewer({ object, user, namespace, onlyGroup, signal })
    return respondJson(201, { ...answer, kind: definition.kind, apiVersion })
  }
}
