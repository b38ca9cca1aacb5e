import type { X509Certificate } from 'node:crypto'
import type { ConfigMap } from '@strata/api'
import { parseCertificates } from '../configuration/index.ts'
import { type ClientTrust, type ProxyTrust, readTrust, trustKeys } from '../delegation/index.ts'

/** As upstream: clocks differ, so a certificate counts for a while after its end. */
const slackMs = 5 * 60_000
/**
 * A certificate that is in the ConfigMap stays for longer than a server adds its own. If both ended at one moment, a server whose
 * clock is late would add what another one removes, again and again.
 */
const keptMs = 2 * slackMs

type Data = Readonly<Record<string, string>>

/**
 * What the ConfigMap must say: what is there, and what this server trusts. Servers of a fleet may have different CAs, and an
 * aggregated server must know all of them. Certificates that expired long ago go. Data that cannot be read is replaced: the
 * other servers add theirs again.
 */
export function decideTrustData(
  stored: Pick<ConfigMap, 'data'>,
  own: ClientTrust,
  nowMs: number,
): { readonly data: Data; readonly problem?: string } {
  const read = readTrust(stored)
  if ('problem' in read) return { data: combine({}, own, nowMs), problem: read.problem }
  return { data: combine(read, own, nowMs) }
}

function combine(one: ClientTrust, other: ClientTrust, nowMs: number): Data {
  const clientCa = bundle(one.clientCa, other.clientCa, nowMs)
  const ca = bundle(one.requestHeader?.ca, other.requestHeader?.ca, nowMs)
  const list = (field: Exclude<keyof ProxyTrust, 'ca'>): string =>
    JSON.stringify([
      ...new Set([...(one.requestHeader?.[field] ?? []), ...(other.requestHeader?.[field] ?? [])]),
    ])
  return {
    ...(clientCa === '' ? {} : { [trustKeys.clientCa]: clientCa }),
    ...(ca === ''
      ? {}
      : {
          [trustKeys.requestHeaderCa]: ca,
          [trustKeys.allowedNames]: list('allowedNames'),
          [trustKeys.usernameHeaders]: list('usernameHeaders'),
          [trustKeys.uidHeaders]: list('uidHeaders'),
          [trustKeys.groupHeaders]: list('groupHeaders'),
          [trustKeys.extraHeaderPrefixes]: list('extraHeaderPrefixes'),
        }),
  }
}

function bundle(stored: string | undefined, own: string | undefined, nowMs: number): string {
  const kept = [...validAt(stored, nowMs - keptMs), ...validAt(own, nowMs - slackMs)]
  return [...new Map(kept.map((each) => [each.fingerprint256, each.toString()])).values()].join('')
}

function validAt(text: string | undefined, timeMs: number): readonly X509Certificate[] {
  const parsed = parseCertificates(text ?? '')
  return 'problem' in parsed ? [] : parsed.filter(({ validToDate }) => validToDate.getTime() > timeMs)
}
