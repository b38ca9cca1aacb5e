import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import type { ClusterAccess } from './kubeconfig.ts'

/** Flags that override what the kubeconfig says, with kubectl's names. */
export interface AccessFlags {
  readonly as?: string | undefined
  readonly asGroup?: readonly string[] | undefined
  readonly asUid?: string | undefined
  readonly token?: string | undefined
  readonly insecureSkipTlsVerify?: boolean | undefined
  readonly tlsServerName?: string | undefined
  /** In milliseconds; 0 is no limit. */
  readonly requestTimeout?: number | undefined
  /** -v: tells each request. */
  readonly verbose?: boolean | undefined
}

/** As kubectl: each flag replaces one thing. --token replaces a token, a password and a plugin; a certificate stays. */
export function decideAccess(access: ClusterAccess, flags: AccessFlags): ClusterAccess {
  const { tlsServerName: serverName, token, insecureSkipTlsVerify: isUnverified = false } = flags
  const { tokenFile: _, password: __, exec: ___, ...withoutSecrets } = access
  const authenticated = token === undefined ? access : { ...withoutSecrets, token }
  if (isUnverified && authenticated.ca !== undefined && authenticated.ca.length > 0) {
    throw new CliError(
      '--insecure-skip-tls-verify: specifying a root certificates file with the insecure flag is not allowed; leave the flag out, or use a context without a certificate authority',
      exitCodes.usage,
    )
  }
  return {
    ...authenticated,
    ...(isUnverified ? { isUnverified: true as const } : {}),
    ...(serverName === undefined ? {} : { serverName }),
    impersonate: impersonatedBy(access, flags),
  }
}

/** The flags replace a user, its groups or its uid; groups and uid need a user, from either. */
function impersonatedBy(
  { impersonate }: ClusterAccess,
  { as: user, asGroup = [], asUid }: AccessFlags,
): ClusterAccess['impersonate'] {
  const merged = {
    user: user ?? impersonate?.user ?? '',
    groups: asGroup.length > 0 ? asGroup : (impersonate?.groups ?? []),
    uid: asUid ?? impersonate?.uid,
    extra: impersonate?.extra ?? {},
  }
  const isAsked = merged.groups.length > 0 || merged.uid !== undefined || Object.keys(merged.extra).length > 0
  if (merged.user === '' && isAsked) {
    throw new CliError(
      'to impersonate a group, a uid or extra fields, name a user too: --as, or "as" in the user of the kubeconfig',
      exitCodes.usage,
    )
  }
  return merged.user === '' ? undefined : merged
}
