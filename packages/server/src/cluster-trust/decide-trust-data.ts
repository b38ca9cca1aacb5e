import type { X509Certificate } from 'node:crypto'
import type { ConfigMap } from '@strata/api'
import { parseCertificates } from '../configuration/index.ts'
import { type ClientTrust, type ProxyTrust, readTrust, trustKeys } from '../delegation/index.ts'

/** As upstream: clocks differ, so a certificate counts for a while after its end. */
const slackMs = 5 * 60_000

type Data = Readonly<Record<string, string>>

/**
 * What the ConfigMap must say: what is there, and what this server trusts. Servers of a fleet may have different CAs, and an
 * aggregated server must know all of them. Expired certificates go. Data that cannot be read is replaced: the other servers add
 * theirs again.
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
  const clientCa = bundle([one.clientCa, other.clientCa], nowMs)
  const ca = bundle([one.requestHeader?.ca, other.requestHeader?.ca], nowMs)
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

function bundle(texts: readonly (string | undefined)[], nowMs: number): string {
  const found = texts.flatMap((text = ''): readonly X509Certificate[] => {
    const parsed = parseCertificates(text)
    return 'problem' in parsed ? [] : parsed
  })
  const byPrint = new Map(
    found
      .filter(({ validToDate }) => validToDate.getTime() > nowMs - slackMs)
      .map((each) => [each.fingerprint256, each.toString()]),
  )
  return [...byPrint.values()].join('')
}
