import type { Handle } from '../launcher/front-door.ts'

/**
 * Once the service stops, each answer is the last on its connection. A proxy that keeps connections sends its next request
 * elsewhere then; on a connection that is closed between two requests, one may be on its way already, and be lost.
 */
export function draining(handle: Handle, stopping: AbortSignal): Handle {
  let isLast = false
  stopping.addEventListener('abort', () => {
    isLast = true
  })
  return (request, socketAddress) => {
    const answer = handle(request, socketAddress)
    if (!isLast) return answer
    return answer instanceof Promise ? answer.then(last) : last(answer)
  }
}

function last(answer: Response): Response {
  answer.headers.set('connection', 'close')
  return answer
}
