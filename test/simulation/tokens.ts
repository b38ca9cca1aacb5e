// biome-ignore lint/suspicious/noExplicitAny: whatever was sent, shown or stored.
type Json = any

/**
 * Each write has a token of its own, which travels in a field that every version has. A ResourceQuota has no field for text:
 * there it is a number of pods, which does not end in 0, so that a quantity is written in one way only.
 */
export const podsOf = (token: string): string => String(10 * Number(token.slice(1)) + 1)

const tokenOfPods = (pods: string | undefined): string => (pods ? `t${(Number(pods) - 1) / 10}` : '')

/** The token in the spec, or in the data of an object without a spec. */
export const tokenOf = ({ kind, spec, data }: Json): string =>
  kind === 'ResourceQuota' ? tokenOfPods(spec?.hard?.pods) : (spec?.colour ?? data?.token ?? '')

/** The token in the status; empty without one. */
export const statusTokenOf = ({ kind, status }: Json): string =>
  kind === 'ResourceQuota' ? tokenOfPods(status?.hard?.pods) : (status?.colour ?? '')
