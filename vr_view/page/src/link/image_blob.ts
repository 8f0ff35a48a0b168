// An image message as a file that the browser can decode.
import type { TopicMessage } from "./protocol";

export function imageBlob(message: TopicMessage<"image">): Blob {
  return new Blob([new Uint8Array(message.payload, message.offset)], { type: `image/${message.format}` });
}
