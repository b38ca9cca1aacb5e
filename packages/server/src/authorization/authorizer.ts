import { ApiError, groupResourceText, type PolicyRule, type RoleRef, rbacGroup } from '@strata/api'
import type { Access, Requester } from './access.ts'
import { everything } from './everything.ts'
import type { Grant } from './grants.ts'
import type { Policy } from './rbac-policy.ts'
import { ruleAllows } from './rule-matches.ts'

/** May do everything, also while there are no roles yet: the servers themselves, and holders of their keys. */
export const superusers = 'system:masters'

export interface Decision {
  readonly allowed: boolean
  /** For operators; '' if there is none. */
  readonly reason: string
}

/** Another server has to decide, and could not be asked. The access is neither allowed nor forbidden. */
export class AccessUndecided extends ApiError {
  readonly why: string
  constructor(why: string) {
    super(500, 'InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] })
    this.why = why
  }
}

export interface HeldRules {
  readonly rules: readonly PolicyRule[]
  /** Roles that bindings name and that do not exist. */
  readonly problems: readonly string[]
}

/** Decides access. Everything is forbidden unless a mode allows it. */
export interface Authorizer {
  /** A promise only if another server has to be asked. Rejects with AccessUndecided. */
  authorize(requester: Requester, access: Access): Decision | Promise<Decision>
  /** All rules of a user in a namespace, and outside of namespaces. */
  rulesFor(requester: Requester, namespace: string): HeldRules
}

const silent: Decision = { allowed: true, reason: '' }

/** Asks the modes in order; the first one that allows decides. */
export function createAuthorizer(modes: readonly Authorizer[]): Authorizer {
  return {
    authorize: (requester, access) => {
      if (requester.groups.includes(superusers)) return silent
      return askModes(modes, requester, access)
    },
    rulesFor: (requester, namespace) => {
      const held = modes.map((mode) => mode.rulesFor(requester, namespace))
      return {
        rules: held.flatMap(({ rules }) => rules),
        problems: held.flatMap(({ problems }) => problems),
      }
    },
  }
}

function askModes(
  modes: readonly Authorizer[],
  requester: Requester,
  access: Access,
  said = '',
): Decision | Promise<Decision> {
  let reason = said
  for (const [index, mode] of modes.entries()) {
    const decision = mode.authorize(requester, access)
    if (decision instanceof Promise) {
      const others = modes.slice(index + 1)
      return decision.then((each) =>
        each.allowed ? each : askModes(others, requester, access, reason || each.reason),
      )
    }
    if (decision.allowed) return decision
    reason ||= decision.reason
  }
  return { allowed: false, reason }
}

/** Decides at once, from what this server knows. */
interface LocalAuthorizer extends Authorizer {
  authorize(requester: Requester, access: Access): Decision
}

export const alwaysAllow: LocalAuthorizer = {
  authorize: () => silent,
  rulesFor: () => ({ rules: everything, problems: [] }),
}

export const alwaysDeny: LocalAuthorizer = {
  authorize: () => ({ allowed: false, reason: 'Everything is forbidden.' }),
  rulesFor: () => ({ rules: [], problems: [] }),
}

export function createRbac(policy: Policy): LocalAuthorizer {
  return {
    authorize: (requester, access) => {
      const namespace = access.target?.namespace ?? ''
      const allows = ({ reason }: Grant, rules: readonly PolicyRule[] | undefined): string | undefined => {
        if (rules) for (const rule of rules) if (ruleAllows(rule, access)) return reason
        return undefined
      }
      const reason = policy.find(requester, namespace, allows)
      if (reason !== undefined) return { allowed: true, reason }
      return { allowed: false, reason: problemText(held(policy, requester, namespace).problems) }
    },
    rulesFor: (requester, namespace) => held(policy, requester, namespace),
  }
}

function held(policy: Policy, requester: Requester, namespace: string): HeldRules {
  const found = new Map<string, readonly PolicyRule[]>()
  const problems = new Set<string>()
  policy.find(requester, namespace, (grant, rules) => {
    if (rules) found.set(grant.key, rules)
    else problems.add(missingRole(grant.roleRef))
    return undefined
  })
  return { rules: [...found.values()].flat(), problems: [...problems] }
}

const missingRole = ({ kind = '', name = '' }: RoleRef): string =>
  `${groupResourceText({ group: rbacGroup, resource: kind.toLowerCase() })} ${JSON.stringify(name)} not found`

function problemText(problems: readonly string[]): string {
  if (problems.length === 0) return ''
  return `RBAC: ${problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`}`
}
