import type { ResourceAttributes, SubjectAccessReview } from '@strata/api'
import type { Clock } from '@strata/world'
import {
  type Access,
  AccessUndecided,
  type Authorizer,
  createAuthorizer,
  type Decision,
  type Requester,
} from '../authorization/index.ts'
import type { Aggregator } from './aggregator.ts'
import { type AnswerLimits, SharedAnswers, TooManyQuestions } from './shared-answers.ts'

const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
/** As upstream's aggregated servers. */
const limits: AnswerLimits = { keptMs: 10_000, mostKept: 8_192, mostAsked: 400 }
/** Clients choose names and paths: questions with longer ones are not kept. */
const longestKept = 10_000
/** Probes of a load balancer are answered while the aggregator is away. As upstream: these paths, and none below them. */
const openPaths = ['/healthz', '/livez', '/readyz']

/**
 * Asks the aggregator, with a SubjectAccessReview. Superusers need not be asked about, nor the paths of health checks. If it
 * cannot be asked, nothing is allowed: the request fails.
 */
export function createAccessReviewAuthorizer(
  aggregator: Aggregator,
  { clock }: { readonly clock: Clock },
): Authorizer {
  const answers = new SharedAnswers<SubjectAccessReview>(clock, limits)
  const review: Authorizer = {
    authorize: (requester, access) => {
      if (isOpen(access)) return { allowed: true, reason: '' }
      const spec = reviewSpec(requester, access)
      const key = JSON.stringify(spec)
      const ask = (): Promise<SubjectAccessReview> =>
        aggregator.post<SubjectAccessReview>(path, {
          ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {} },
          spec,
        })
      const found = answers.get(key, ask, () => chosenLength(access) < longestKept)
      if (!(found instanceof Promise)) return decideAccess(found)
      return found.then(decideAccess, (error: unknown) => {
        if (error instanceof TooManyQuestions) throw error
        throw new AccessUndecided(error instanceof Error ? error.message : String(error))
      })
    },
    rulesFor: () => ({
      rules: [],
      problems: ['webhook authorizer does not support user rule resolution'],
    }),
  }
  return createAuthorizer([review])
}

const isOpen = ({ target, path: asked }: Access): boolean => target === undefined && openPaths.includes(asked)

/** What the answer of the aggregator means. */
export function decideAccess({ status }: SubjectAccessReview): Decision {
  const { allowed, denied, reason = '' } = status ?? {}
  if (allowed === true && denied === true) {
    throw new AccessUndecided('webhook subject access review returned both allow and deny response')
  }
  return { allowed: allowed === true, reason }
}

/** The question, as upstream's aggregated servers put it. */
export function reviewSpec(
  { name: user, groups, uid, extra }: Requester,
  access: Access,
): NonNullable<SubjectAccessReview['spec']> {
  const { verb, path: asked } = access
  return {
    ...(access.target
      ? { resourceAttributes: resourceAttributes(access) }
      : { nonResourceAttributes: { path: asked, verb } }),
    user,
    groups,
    ...(extra ? { extra } : {}),
    ...(uid === undefined || uid === '' ? {} : { uid }),
  }
}

const selecting = ['list', 'watch', 'deletecollection']

function resourceAttributes({ verb, target, query }: Access): ResourceAttributes {
  const {
    group = '',
    versionName = '',
    resource = '',
    subresource = '',
    namespace = '',
    name = '',
  } = target ?? {}
  const selector = (parameter: string): string =>
    (selecting.includes(verb) ? query?.get(parameter) : undefined) ?? ''
  const fields = selector('fieldSelector')
  const labels = selector('labelSelector')
  return {
    ...{ namespace, verb, group, version: versionName, resource, subresource, name },
    ...(fields === '' ? {} : { fieldSelector: { rawSelector: fields } }),
    ...(labels === '' ? {} : { labelSelector: { rawSelector: labels } }),
  }
}

function chosenLength({ verb, path: asked, target, query }: Access): number {
  const parts = target ? Object.values(target) : []
  const chosen = [verb, asked, query?.get('fieldSelector'), query?.get('labelSelector'), ...parts]
  return chosen.reduce((sum, each) => sum + (each?.length ?? 0), 0)
}
