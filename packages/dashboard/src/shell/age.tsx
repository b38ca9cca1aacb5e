import { formatAge } from '@strata/insight'
import { useApp } from './app-context.ts'

/** How long ago; the only part of the page that changes every second. */
export const Age = ({ since }: { readonly since: string | undefined }) => {
  const { nowMs } = useApp()
  if (since === undefined) return <>–</>
  return (
    <time dateTime={since} title={new Date(since).toLocaleString()}>
      {formatAge(since, nowMs.value)}
    </time>
  )
}
