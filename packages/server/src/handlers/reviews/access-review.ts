import {
  type AccessReviewStatus,
  type ApiObject,
  authorizationGroup,
  type FieldError,
  invalidObject,
  MalformedSelector,
  parseFieldSelector,
  parseLabelSelector,
  type ResourceAttributes,
  type SelectorAttributes,
  type SubjectAccessReview,
  validateAccessReview,
  validateLocalAccessReview,
  validateSelfAccessReview,
} from '@strata/api'
import { onceKnown } from '@strata/world'
import {
  type Access,
  type Authorizer,
  type Decision,
  type Requester,
  resourceAccess,
} from '../../authorization/index.ts'
import type { Reviewer } from './review.ts'

/** "May I do this?" */
export function selfSubjectAccessReview(authorizer: Authorizer): Reviewer {
  return ({ object, user }) => {
    refuse(validateSelfAccessReview(object))
    return answer(authorizer, object, user)
  }
}

/** "May they do this?" */
export function subjectAccessReview(authorizer: Authorizer): Reviewer {
  return ({ object }) => {
    refuse(validateAccessReview(object))
    return answer(authorizer, object, subjectOf(object))
  }
}

/** "May they do this in this namespace?" */
export function localSubjectAccessReview(authorizer: Authorizer): Reviewer {
  return ({ object }) => {
    refuse(validateLocalAccessReview(object))
    return answer(authorizer, object, subjectOf(object))
  }
}

/** As upstream, the error has no kind. */
function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject({ group: authorizationGroup, kind: '' }, '', errors)
}

function subjectOf({ spec = {} }: SubjectAccessReview): Requester {
  return { name: spec.user ?? '', groups: spec.groups ?? [] }
}

function answer(
  authorizer: Authorizer,
  object: SubjectAccessReview,
  requester: Requester,
): ApiObject | Promise<ApiObject> {
  return onceKnown(authorizer.authorize(requester, accessOf(object)), (decision) => ({
    ...object,
    status: statusOf(object, decision),
  }))
}

function statusOf(object: SubjectAccessReview, { allowed, reason }: Decision): AccessReviewStatus {
  const { resourceAttributes } = object.spec ?? {}
  const problem = selectorProblems(resourceAttributes).join('; ')
  return {
    allowed,
    ...(reason === '' ? {} : { reason }),
    ...(problem === '' ? {} : { evaluationError: problem }),
  }
}

function accessOf({ spec = {} }: SubjectAccessReview): Access {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec
  if (!resource) return { verb: path?.verb ?? '', path: path?.path ?? '', target: undefined }
  const { verb = '', version: _, fieldSelector: __, labelSelector: ___, ...target } = resource
  return resourceAccess(verb, target)
}

/** RBAC ignores selectors, so a malformed one changes nothing. It is reported nevertheless. */
function selectorProblems({ fieldSelector, labelSelector }: ResourceAttributes = {}): string[] {
  const problems: string[] = []
  for (const [name, selector, parse] of [
    ['fieldSelector', fieldSelector, parseFieldSelector],
    ['labelSelector', labelSelector, parseLabelSelector],
  ] as const) {
    if (isUnreadable(selector, parse)) {
      problems.push(`spec.resourceAttributes.${name} ignored due to parse error`)
    }
  }
  return problems
}

function isUnreadable(selector: SelectorAttributes | undefined, parse: (text: string) => unknown): boolean {
  try {
    if (selector?.rawSelector) parse(selector.rawSelector)
    return false
  } catch (error) {
    if (error instanceof MalformedSelector) return true
    throw error
  }
}
