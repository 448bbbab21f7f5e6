// Decompress the script of the page and run it. The Content-Security-Policy contains the hashes of both scripts.
const notice = document.getElementById("notice");
try {
  const packed = Uint8Array.from(atob(document.getElementById("script").textContent), (letter) => letter.charCodeAt(0));
  const inflated = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = await new Response(inflated).text();
  document.body.append(script);
} catch (error) {
  notice.textContent = `This page needs a browser of 2023 or later. (${error.message})`;
  notice.hidden = false;
}
