# cmake -DPACKAGE=dir -DVERSION=x -DPYTHON=python3 -DREADME=file -DOUTPUT=dir -P WriteWheel.cmake: a wheel of the built package.
# It holds a module of this Python and this machine, and needs the libraries that the machine has.
execute_process(COMMAND ${PYTHON} -c "import sys, sysconfig as s
tag = 'cp%d%d' % sys.version_info[:2]
print('%s-%s-%s' % (tag, tag, s.get_platform().replace('-', '_').replace('.', '_')))"
  OUTPUT_VARIABLE tag OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(stage ${OUTPUT}/wheel)
file(REMOVE_RECURSE ${stage})
file(MAKE_DIRECTORY ${stage})
file(COPY ${PACKAGE} DESTINATION ${stage} PATTERN __pycache__ EXCLUDE)
set(info ${stage}/rackcast-${VERSION}.dist-info)
file(READ ${README} readme)
file(WRITE ${info}/METADATA "Metadata-Version: 2.1
Name: rackcast
Version: ${VERSION}
Summary: Cluster performance modelling and capacity planning for deep learning
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: frames
Requires-Dist: pandas; extra == 'frames'
Description-Content-Type: text/markdown

${readme}")
file(WRITE ${info}/WHEEL "Wheel-Version: 1.0
Generator: rackcast
Root-Is-Purelib: false
Tag: ${tag}
")
execute_process(COMMAND ${PYTHON} -m wheel pack ${stage} --dest-dir ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
