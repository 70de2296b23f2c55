#!/bin/bash
# Runs the "175B" parameter model
export CUDA_DEVICE_MAX_CONNECTIONS=1

GPUS_PER_NODE=8
NUM_NODES=128
WORLD_SIZE=$(($GPUS_PER_NODE*$NUM_NODES))

CHECKPOINT_PATH=$1 #<Specify path>
VOCAB_FILE=$2 #<Specify path to file>/gpt2-vocab.json
DATA_PATH=$3 #<Specify path and file prefix>_text_document

torchrun --nproc_per_node $GPUS_PER_NODE --nnodes $NUM_NODES \
    --master_addr secret-head.example --master_port 6000 pretrain_gpt.py \
    --num-layers 96 \
    --hidden-size 12288 \
    --num-attention-heads 96 \
    --seq-length 2048 \
    --max-position-embeddings 2048 \
    --attention-backend auto \
    --micro-batch-size 1 \
    --global-batch-size 1536 \
    --rampup-batch-size 16 16 5859375 \
    --train-iters 500000 \
    --weight-decay 0.1 \
    --init-method-std 0.006 \
    --fp16 \
    --lr 6.0e-5 \
    --tensor-model-parallel-size 8 \
    --pipeline-model-parallel-size 16 \
    --num-layers-per-virtual-pipeline-stage 1 \
    --recompute-activations \
    --sequence-parallel \
    --data-path $DATA_PATH \
    --vocab-file $VOCAB_FILE \
    --split 949,50,1 \
    --save $CHECKPOINT_PATH
