import { type ApiError, dns1123Label, dns1123Subdomain } from '@strata/api'
import { type Access, type Requester, resourceAccess } from './access.ts'
import type { Authorizer, Decision } from './authorizer.ts'
import { refusal } from './forbidden.ts'

/**
 * Upstream has several ways to allow impersonation: in the constrained modes the right is for this kind of user and this kind of
 * request only; the old verb `impersonate` is for everything that the other user may do. The first that allows it counts, and of
 * several refusals the first is returned.
 */
export function impersonate(
  authorizer: Authorizer,
  requester: Requester,
  wanted: Requester,
  access: Access,
): Impersonation | Promise<Impersonation> {
  return drive(authorizer, requester, checkModes(requester, wanted, access))
}

export type Impersonation = { readonly user: Requester } | { readonly refused: ApiError }

/** Asks for accesses, one after another, and goes on with the decisions. */
type Checks<T> = Generator<Access, T, Decision>

/** Answers the checks without waiting, for as long as the authorizer decides at once. */
function drive<T>(
  authorizer: Authorizer,
  requester: Requester,
  checks: Checks<T>,
  ...decided: [] | [Decision]
): T | Promise<T> {
  let step = checks.next(...decided)
  while (!step.done) {
    const decision = authorizer.authorize(requester, step.value)
    if (decision instanceof Promise) {
      return decision.then((each) => drive(authorizer, requester, checks, each))
    }
    step = checks.next(decision)
  }
  return step.value
}

function* checkModes(requester: Requester, wanted: Requester, access: Access): Checks<Impersonation> {
  let refused: ApiError | undefined
  for (const mode of modesFor(requester, wanted)) {
    const problem = yield* checkMode(mode, requester, wanted, access)
    if (!problem) return { user: asSeen(wanted, mode) }
    refused ??= problem
  }
  return { refused: refused ?? refusal(requester, access, '') }
}

type Mode = 'associated-node' | 'arbitrary-node' | 'serviceaccount' | 'user-info' | 'legacy'

function modesFor(requester: Requester, wanted: Requester): readonly Mode[] {
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

function* checkMode(
  mode: Mode,
  requester: Requester,
  wanted: Requester,
  access: Access,
): Checks<ApiError | undefined> {
  const isNarrow = mode !== 'legacy'
  const verb = isNarrow ? `impersonate:${mode}` : 'impersonate'
  const group = isNarrow ? authenticationGroup : ''
  const needed: Needed[] = []
  if (isNarrow) needed.push({ access: { ...access, verb: `impersonate-on:${mode}:${access.verb}` } })
  needed.push({ access: nameAccess(verb, group, mode, wanted.name) })
  if (wanted.uid) needed.push({ access: part(verb, 'uids', wanted.uid) })
  for (const name of wanted.groups) {
    const problem = isNarrow ? groupProblem(name) : undefined
    needed.push({ access: resourceAccess(verb, { group, resource: 'groups', name }), problem })
  }
  for (const [key, values] of Object.entries(wanted.extra ?? {})) {
    for (const value of values) needed.push(extraNeeded(verb, isNarrow, key, value))
  }
  for (const { access: each, problem } of needed) {
    if (problem !== undefined) return refusal(requester, each, `impersonating ${problem} is not allowed`)
    const { allowed, reason } = yield each
    if (!allowed) return refusal(requester, each, reason)
  }
  return undefined
}

/** A right that is needed. With a problem, no right is enough. */
interface Needed {
  readonly access: Access
  readonly problem?: string | undefined
}

function extraNeeded(verb: string, isNarrow: boolean, key: string, value: string): Needed {
  const problem = isNarrow ? extraProblem(key, value) : undefined
  if (problem !== undefined) return { access: part(verb, 'userextras', ''), problem }
  return { access: part(verb, 'userextras', value, key) }
}

function groupProblem(name: string): string | undefined {
  if (name === '') return 'the empty string group'
  return name === 'system:masters' ? 'the system:masters group' : undefined
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

/** Adds the groups that follow from the name, and the group of authenticated or anonymous users. */
function asSeen(wanted: Requester, mode: Mode): Requester {
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
