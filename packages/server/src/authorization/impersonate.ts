import { type ApiError, dns1123Label, dns1123Subdomain } from '@strata/api'
import { type Access, type Requester, resourceAccess } from './access.ts'
import type { Authorizer } from './authorizer.ts'
import { refusal } from './forbidden.ts'

/** A user with all attributes. */
export interface Person extends Requester {
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/**
 * Upstream has several ways to allow impersonation: in the constrained modes the right is for this kind of user and this kind of
 * request only; the old verb `impersonate` is for everything that the other user may do. The first that allows it counts, and of
 * several refusals the first is returned.
 */
export function impersonate(
  authorizer: Authorizer,
  requester: Person,
  wanted: Person,
  access: Access,
): { readonly user: Person } | { readonly refused: ApiError } {
  let refused: ApiError | undefined
  for (const mode of modesFor(requester, wanted)) {
    const problem = checkMode(authorizer, mode, requester, wanted, access)
    if (!problem) return { user: asSeen(wanted, mode) }
    refused ??= problem
  }
  return { refused: refused ?? refusal(requester, access, '') }
}

type Mode = 'associated-node' | 'arbitrary-node' | 'serviceaccount' | 'user-info' | 'legacy'

function modesFor(requester: Person, wanted: Person): readonly Mode[] {
  const { uid = '', groups, extra = {} } = wanted
  const isBare = uid === '' && groups.length === 0 && Object.keys(extra).length === 0
  const node = nodeName(wanted.name)
  if (node !== undefined) {
    if (!isBare) return ['legacy']
    const home = requester.extra?.['authentication.kubernetes.io/node-name']
    const isAssociated = accountName(requester.name) && home?.length === 1 && home[0] === node
    return isAssociated ? ['associated-node', 'arbitrary-node', 'legacy'] : ['arbitrary-node', 'legacy']
  }
  if (accountName(wanted.name)) return isBare ? ['serviceaccount', 'legacy'] : ['legacy']
  return ['user-info', 'legacy']
}

function checkMode(
  authorizer: Authorizer,
  mode: Mode,
  requester: Person,
  wanted: Person,
  access: Access,
): ApiError | undefined {
  const check = (each: Access): ApiError | undefined => {
    const { allowed, reason } = authorizer.authorize(requester, each)
    return allowed ? undefined : refusal(requester, each, reason)
  }
  const isNarrow = mode !== 'legacy'
  const verb = isNarrow ? `impersonate:${mode}` : 'impersonate'
  const group = isNarrow ? authenticationGroup : ''
  if (isNarrow) {
    const refused = check({ ...access, verb: `impersonate-on:${mode}:${access.verb}` })
    if (refused) return refused
  }
  return first([
    () => check(nameAccess(verb, group, mode, wanted.name)),
    () => (wanted.uid ? check(part(verb, 'uids', wanted.uid)) : undefined),
    () => first(wanted.groups.map((name) => () => checkGroup(name))),
    () =>
      first(
        Object.entries(wanted.extra ?? {}).flatMap(([key, values]) =>
          values.map((value) => () => checkExtra(key, value)),
        ),
      ),
  ])

  function checkGroup(name: string): ApiError | undefined {
    const asked = resourceAccess(verb, { group, resource: 'groups', name })
    if (isNarrow && name === '') {
      return refusal(requester, asked, 'impersonating the empty string group is not allowed')
    }
    if (isNarrow && name === 'system:masters') {
      return refusal(requester, asked, 'impersonating the system:masters group is not allowed')
    }
    return check(asked)
  }

  function checkExtra(key: string, value: string): ApiError | undefined {
    const problem = isNarrow ? extraProblem(key, value) : undefined
    if (problem !== undefined) {
      return refusal(requester, part(verb, 'userextras', ''), `impersonating ${problem} is not allowed`)
    }
    return check(part(verb, 'userextras', value, key))
  }
}

/** The constrained modes are new, and may be stricter than the old verb. */
function extraProblem(key: string, value: string): string | undefined {
  if (key === '') return 'the empty string key in extra'
  const slash = key.indexOf('/')
  if (slash < 0 || slash === key.length - 1 || dns1123Subdomain(key.slice(0, slash)).length > 0) {
    return 'an invalid key in extra'
  }
  return value === '' ? 'the empty string value in extra' : undefined
}

const authenticationGroup = 'authentication.k8s.io'

function part(verb: string, resource: string, name: string, subresource = ''): Access {
  return resourceAccess(verb, { group: authenticationGroup, resource, name, subresource })
}

/** The rights on the name itself: service accounts and, in the constrained modes, nodes are named by their kind. */
function nameAccess(verb: string, group: string, mode: Mode, name: string): Access {
  const account = accountName(name)
  if (account) return resourceAccess(verb, { group, resource: 'serviceaccounts', ...account })
  const node = mode === 'legacy' ? undefined : nodeName(name)
  if (node === undefined) return resourceAccess(verb, { group, resource: 'users', name })
  // The right to impersonate the node that one runs on is not for one particular node.
  return resourceAccess(verb, { group, resource: 'nodes', name: mode === 'associated-node' ? '*' : node })
}

function first(checks: readonly (() => ApiError | undefined)[]): ApiError | undefined {
  for (const check of checks) {
    const refused = check()
    if (refused) return refused
  }
  return undefined
}

/** Adds the groups that follow from the name, and the group of authenticated or anonymous users. */
function asSeen(wanted: Person, mode: Mode): Person {
  const account = accountName(wanted.name)
  const isNode = mode === 'associated-node' || mode === 'arbitrary-node'
  const groups = isNode
    ? ['system:nodes']
    : account && wanted.groups.length === 0
      ? ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`]
      : wanted.groups
  const unknown = 'system:unauthenticated'
  const more = wanted.name === 'system:anonymous' ? unknown : 'system:authenticated'
  const isComplete = groups.includes(more) || groups.includes(unknown)
  return { ...wanted, groups: isComplete ? groups : [...groups, more] }
}

function nodeName(user: string): string | undefined {
  const prefix = 'system:node:'
  if (!user.startsWith(prefix)) return undefined
  const name = user.slice(prefix.length)
  return dns1123Subdomain(name).length === 0 ? name : undefined
}

function accountName(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace = '', name = ''] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? []
  const isAccount = dns1123Label(namespace).length === 0 && dns1123Subdomain(name).length === 0
  return isAccount ? { namespace, name } : undefined
}
