import type { HttpRequest, HttpResponse } from '@strata/world'
import type { Filter } from './filter.ts'

/** Answers with a file that everyone may read. */
export type PublicFiles = (
  request: Pick<HttpRequest, 'method' | 'target' | 'headers'>,
) => Promise<HttpResponse>

/**
 * Serves the files of the dashboard. A browser needs them before it has credentials, and they hold no data, so they come
 * before authentication. Every other path goes on. The path is compared as it was sent: if it were decoded or shortened here
 * and not there, a request for data could pass as one for a file.
 */
export function dashboard(files: PublicFiles): Filter {
  return (context, next) => {
    const { path } = context.info
    return path === '/dashboard' || path.startsWith('/dashboard/') ? files(context.request) : next(context)
  }
}
