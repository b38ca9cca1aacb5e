import { badRequest, type PolicyRule, type SelfSubjectRulesReview } from '@strata/api'
import type { Authorizer } from '../../authorization/index.ts'
import type { Reviewer } from './review.ts'

/** "What may I do in this namespace?" As upstream, the answer does not repeat the spec. */
export function selfSubjectRulesReview(authorizer: Authorizer): Reviewer {
  return ({ object, user }): SelfSubjectRulesReview => {
    const { namespace = '' } = (object as SelfSubjectRulesReview).spec ?? {}
    if (namespace === '') throw badRequest('no namespace on request')
    const { rules, problems } = authorizer.rulesFor(user, namespace)
    return {
      metadata: {},
      spec: {},
      status: {
        resourceRules: rules.filter(({ resources }) => resources?.length).map(resourceRule),
        nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs?.length).map(pathRule),
        incomplete: false,
        ...(problems.length === 0
          ? {}
          : { evaluationError: problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]` }),
      },
    }
  }
}

function resourceRule({ verbs = [], apiGroups, resources, resourceNames }: PolicyRule): PolicyRule {
  return {
    verbs,
    ...(apiGroups ? { apiGroups } : {}),
    ...(resources ? { resources } : {}),
    ...(resourceNames ? { resourceNames } : {}),
  }
}

function pathRule({ verbs = [], nonResourceURLs = [] }: PolicyRule): PolicyRule {
  return { verbs, nonResourceURLs }
}
