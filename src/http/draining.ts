/**
 * Answers a request. `socketAddress` returns the peer's address; called only if needed, because it costs as much as the
 * rest of a cached launcher.
 */
export type Handle = (request: Request, socketAddress: () => string) => Response | Promise<Response>

/**
 * Once the service stops, sends `Connection: close` with every answer, so that proxies open their next connection
 * elsewhere. Closing an idle connection instead could lose a request that is already on its way.
 */
export function draining(handle: Handle, stopping: AbortSignal): Handle {
  let isDraining = false
  stopping.addEventListener('abort', () => {
    isDraining = true
  })
  return (request, socketAddress) => {
    const answer = handle(request, socketAddress)
    if (!isDraining) return answer
    return answer instanceof Promise ? answer.then(closing) : closing(answer)
  }
}

function closing(answer: Response): Response {
  answer.headers.set('connection', 'close')
  return answer
}
